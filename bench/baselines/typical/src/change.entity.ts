import { Column, CreateDateColumn, Entity, Index, PrimaryGeneratedColumn } from 'typeorm'

/** A history row, written in the same transaction as the change. */
@Entity('changes')
@Index(['tenantId', 'resource', 'recordId'])
export class Change {
  @PrimaryGeneratedColumn()
  id: number

  @Column({ type: 'integer' })
  tenantId: number

  @Column({ type: 'text' })
  resource: string

  @Column({ type: 'integer' })
  recordId: number

  @Column({ type: 'text' })
  action: 'create' | 'update' | 'delete'

  @Column({ type: 'simple-json', nullable: true })
  before: object | null

  @Column({ type: 'simple-json', nullable: true })
  after: object | null

  @Column({ type: 'integer' })
  apiKeyId: number

  @CreateDateColumn()
  at: Date
}
