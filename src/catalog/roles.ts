/** An administrator may do everything; a manager is limited to one tenant. */
export type Role = 'administrator' | 'manager'
