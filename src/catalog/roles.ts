/** What users can be in a tenant. A viewer has read-only access and does not see API keys. */
export const tenantRoles = ['manager', 'viewer'] as const

export type TenantRole = (typeof tenantRoles)[number]

/** An administrator may do everything in every tenant, and has no role in any of them. */
export type Role = 'administrator' | TenantRole
