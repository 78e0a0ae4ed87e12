import { z } from 'zod'
import type { Host } from '#agent/kernel/host/ports.ts'
import { CHARACTERS, PASSWORD_HASH, passwordHashOf } from './account.ts'

const Name = z.string().regex(/^\w{1,64}$/)
/** The data to recreate a database and its account: no SQL, and the password only as its hash. */
const KeptAccount = z.object({
  password_hash: z.string().regex(PASSWORD_HASH).optional(),
  character_set: Name,
  collation: Name,
})
export type KeptAccount = z.infer<typeof KeptAccount>

/** Reads the account of a site; undefined if neither a database nor an account exists. */
export async function findAccount(host: Host, user: string): Promise<KeptAccount | undefined> {
  const [schema] = await host.database.admin('find_database', [user])
  const accounts = await host.database.admin('read_account', [user])
  if (!schema && accounts.length === 0) return undefined
  const { character_set, collation } = schema ?? {}
  const found = KeptAccount.safeParse({ character_set, collation }).data ?? CHARACTERS
  const password_hash = await passwordHashOf(host, user)
  return { ...found, ...(password_hash !== undefined && { password_hash }) }
}

export const renderAccount = (account: KeptAccount | undefined): string =>
  `${JSON.stringify(account ?? null)}\n`

/** Parses a kept account; undefined when the site had neither a database nor an account. */
export function parseAccount(text: string | undefined): KeptAccount | undefined {
  const value: unknown = text === undefined ? null : JSON.parse(text)
  return KeptAccount.nullable().parse(value) ?? undefined
}
