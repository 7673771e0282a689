/** What a user may do: an administrator everything, a manager what concerns one tenant. */
export type Role = 'administrator' | 'manager'
