import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm'

@Entity('api_keys')
export class ApiKey {
  @PrimaryGeneratedColumn()
  id: number

  @Column({ type: 'integer' })
  tenantId: number

  /** SHA-256 of the token, in hexadecimal. */
  @Column({ type: 'text', unique: true })
  hash: string

  @Column({ type: 'simple-array' })
  scopes: string[]

  @Column({ type: 'datetime', nullable: true })
  revokedAt: Date | null
}
