/** A call that opens a repository, as `backup.restore` or `/backups/browse`. */
type Opening = [call: string, repository: string, password?: 'with its password']

type Params = Record<string, unknown>

/** Which passwords of repositories a fake agent has, and which it was sent. */
export class FakePasswords {
  /** The repositories whose passwords the agent has. */
  readonly kept = new Set<string>()
  readonly openings: Opening[] = []
  /** The repositories whose creation was interrupted. */
  readonly incomplete = new Set<string>()

  /** Whether the agent refuses a call because it does not have the password of its repository. */
  lack(call: string, params: Params): boolean {
    const { repository, password_id, password_ids, password, passwords } = openingIn(params)
    if (password_id === undefined && password_ids === undefined) return false
    const isSent = Boolean(password) || (Array.isArray(passwords) && passwords.length > 0)
    const name = String(repository)
    this.openings.push(isSent ? [call, name, 'with its password'] : [call, name])
    return !isSent && !this.kept.has(name)
  }
}

const openingIn = (params: Params): Params =>
  params.from instanceof Object ? (params.from as Params) : params

/** A request is the same one with a password and without. */
export const withoutPassword = (params: Params): string =>
  JSON.stringify(params, (key, value) => (key === 'password' ? undefined : value))

export const MISSING = {
  error: 'Conflict',
  message: 'This server does not have the password of the repository',
  code: 'password_missing',
} as const

export const INCOMPLETE = {
  error: 'Conflict',
  message: 'The creation of the repository was interrupted',
  code: 'repository_incomplete',
} as const
