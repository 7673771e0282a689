/** The roles that users can have in a tenant. A viewer has read-only access and cannot see API keys. */
export const tenantRoles = ['manager', 'viewer'] as const

export type TenantRole = (typeof tenantRoles)[number]

/** An administrator may do everything in every tenant and has no tenant role. */
export type Role = 'administrator' | TenantRole
