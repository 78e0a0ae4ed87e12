import { createHash } from 'node:crypto'

/** By it an agent finds the password of a repository. */
export const passwordIdOf = (password: string): string =>
  createHash('sha256').update(password).digest('hex')

/** The params that open a repository on a server that does not have its password. */
export const openedBy = (password: string) => ({ password_id: passwordIdOf(password), password })
