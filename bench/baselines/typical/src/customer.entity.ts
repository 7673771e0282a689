import { Exclude } from 'class-transformer'
import { Column, CreateDateColumn, Entity, Index, PrimaryGeneratedColumn, UpdateDateColumn } from 'typeorm'

@Entity('customers')
@Index(['tenantId', 'id'])
export class Customer {
  @PrimaryGeneratedColumn()
  id: number

  @Exclude()
  @Column({ type: 'integer' })
  tenantId: number

  @Column({ type: 'text' })
  name: string

  @Column({ type: 'text', nullable: true })
  code: string | null

  @Column({ type: 'text', nullable: true })
  email: string | null

  @Column({ type: 'text', nullable: true })
  phone: string | null

  @Column({ type: 'text', nullable: true })
  address: string | null

  @Column({ type: 'text', nullable: true })
  city: string | null

  @Column({ type: 'text', nullable: true })
  country: string | null

  @Column({ type: 'text', nullable: true })
  tax_id: string | null

  @Column({ type: 'text', default: 'branch' })
  type: string

  @Column({ type: 'boolean', default: true })
  is_active: boolean

  @Column({ type: 'date', nullable: true })
  contract_end: string | null

  @Column({ type: 'text', nullable: true })
  notes: string | null

  @CreateDateColumn()
  created_at: Date

  @UpdateDateColumn()
  updated_at: Date
}
