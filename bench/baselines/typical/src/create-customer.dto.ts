import { IsBoolean, IsDateString, IsEmail, IsIn, IsOptional, IsString, Length, MaxLength } from 'class-validator'

export class CreateCustomerDto {
  @IsString()
  @Length(1, 100)
  name: string

  @IsOptional()
  @IsString()
  @Length(2, 20)
  code?: string

  @IsOptional()
  @IsEmail()
  @MaxLength(190)
  email?: string

  @IsOptional()
  @IsString()
  @Length(5, 30)
  phone?: string

  @IsOptional()
  @IsString()
  @MaxLength(200)
  address?: string

  @IsOptional()
  @IsString()
  @MaxLength(80)
  city?: string

  @IsOptional()
  @IsString()
  @Length(2, 2)
  country?: string

  @IsOptional()
  @IsString()
  @MaxLength(40)
  tax_id?: string

  @IsOptional()
  @IsIn(['headquarters', 'branch', 'warehouse', 'client', 'other'])
  type?: string

  @IsOptional()
  @IsBoolean()
  is_active?: boolean

  @IsOptional()
  @IsDateString({ strict: true })
  contract_end?: string

  @IsOptional()
  @IsString()
  @MaxLength(2000)
  notes?: string
}
