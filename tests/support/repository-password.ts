import { createHash } from 'node:crypto'

/** Returns the id of a password, by which an agent finds its own copy. */
export const passwordIdOf = (password: string): string =>
  createHash('sha256').update(password).digest('hex')

/** The params that open a repository on a server that does not have its password. */
export const openedBy = (password: string) => ({ password_id: passwordIdOf(password), password })
