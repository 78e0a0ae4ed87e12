import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { Log } from '#dashboard/kernel/runtime/log.ts'
import type { invitations } from './access-schema.ts'
import type {
  api_tokens,
  grants,
  group_grants,
  group_members,
  groups,
  part_grants,
  passkeys,
  password_resets,
  policy_rules,
  sessions,
  user_factors,
} from './auth-schema.ts'
import type { identities, identity_providers, sso_flows } from './identity-schema.ts'
import type { users } from './schema.ts'
import type { server_agents } from './trust-schema.ts'

interface MarkedRows {
  users: typeof users.$inferSelect
  sessions: typeof sessions.$inferSelect
  api_tokens: typeof api_tokens.$inferSelect
  grants: typeof grants.$inferSelect
  part_grants: typeof part_grants.$inferSelect
  groups: typeof groups.$inferSelect
  group_members: typeof group_members.$inferSelect
  group_grants: typeof group_grants.$inferSelect
  policy_rules: typeof policy_rules.$inferSelect
  invitations: typeof invitations.$inferSelect
  passkeys: typeof passkeys.$inferSelect
  password_resets: typeof password_resets.$inferSelect
  server_agents: typeof server_agents.$inferSelect
  user_factors: typeof user_factors.$inferSelect
  identity_providers: typeof identity_providers.$inferSelect
  identities: typeof identities.$inferSelect
  sso_flows: typeof sso_flows.$inferSelect
}
export type MarkedTable = keyof MarkedRows

/** The columns that a mark covers; the first one names the row, so that no mark fits another row. */
export const COVERED_COLUMNS = {
  users: ['id', 'email', 'name', 'password_hash', 'created_at'],
  sessions: ['jti', 'user_id', 'created_at', 'renewed_at', 'expires_at', 'confirmed_at'],
  api_tokens: ['hash', 'user_id', 'name', 'scope', 'created_at', 'expires_at'],
  grants: ['user_id', 'gives', 'given_at'],
  part_grants: ['user_id', 'gives', 'tag', 'server_id', 'site_id', 'given_at'],
  groups: ['id', 'name', 'made_at'],
  group_members: ['group_id', 'user_id', 'added_at'],
  group_grants: ['group_id', 'gives', 'tag', 'server_id', 'site_id', 'given_at'],
  policy_rules: ['user_id', 'can', 'what', 'tag', 'server_id', 'site_id', 'created_at'],
  invitations: [
    'hash',
    'person_id',
    'email',
    'role',
    'secrets',
    'invited_by',
    'created_at',
    'expires_at',
  ],
  passkeys: [
    'id',
    'user_id',
    'name',
    'credential_id',
    'public_key',
    'counter',
    'transports',
    'backed_up',
    'created_at',
  ],
  password_resets: ['hash', 'user_id', 'created_at', 'expires_at'],
  server_agents: ['server_id', 'certificate', 'public_key', 'enrolled_at'],
  user_factors: [
    'id',
    'user_id',
    'secret_sealed',
    'created_at',
    'confirmed_at',
    'last_step',
    'recovery_codes',
    'reset_at',
  ],
  identity_providers: [
    'key',
    'name',
    'issuer',
    'client_id',
    'secret_sealed',
    'scope',
    'is_enabled',
    'own_factor',
    'claim',
    'roles',
    'created_at',
  ],
  identities: ['issuer', 'subject', 'user_id', 'label', 'linked_at'],
  sso_flows: [
    'hash',
    'browser_hash',
    'provider',
    'purpose',
    'user_id',
    'jti',
    'invitation_hash',
    'return_to',
    'checks_sealed',
    'expires_at',
  ],
} as const satisfies { [T in MarkedTable]: readonly (keyof MarkedRows[T])[] }

/**
 * The columns that were added after a release, with their defaults. A mark covers each that has
 * another value: the marks of older rows stay valid, and no value can be set back to its default.
 */
const LATER_COLUMNS = {
  users: {
    factor_id: '',
    deactivated_at: null,
    managed_by: '',
    passkeys: 0,
    passkey_handle: '',
    kind: 'person',
  },
  sessions: { user_agent: '', address: '' },
  api_tokens: { addresses: null, only_for: null },
  grants: {},
  part_grants: {},
  groups: {},
  group_members: {},
  group_grants: {},
  policy_rules: {},
  invitations: { parts: '[]', groups: '[]' },
  passkeys: {},
  password_resets: {},
  server_agents: {},
  user_factors: {},
  identity_providers: {},
  identities: {},
  sso_flows: {},
} as const satisfies { [T in MarkedTable]: Partial<MarkedRows[T]> }

export const MARKED_TABLES = Object.keys(COVERED_COLUMNS) as MarkedTable[]

export type CoveredColumns<T extends MarkedTable> = Pick<
  MarkedRows[T],
  (typeof COVERED_COLUMNS)[T][number] & keyof MarkedRows[T]
> &
  Partial<Pick<MarkedRows[T], keyof (typeof LATER_COLUMNS)[T] & keyof MarkedRows[T]>>
export type MarkedRow<T extends MarkedTable> = CoveredColumns<T> & { mark: string }

const MARK_BYTES = 32
/** The maximum of reported rows with a wrong mark, which would fill the log. */
const MAX_REPORTED = 1_000

/**
 * Marks the rows that admit somebody: without the seal-secret, nobody who can write to the database
 * can make a mark that counts, or change a row. A former state of a row has a mark that fits.
 */
export class Marks {
  readonly #keys: Record<MarkedTable, Buffer>
  readonly #log: Pick<Log, 'error'>
  readonly #reported = new Set<string>()

  /** `secret`: at least 256 random bits from a file outside the database. */
  constructor(secret: string, log: Pick<Log, 'error'>) {
    const keyOf = (table: MarkedTable) =>
      Buffer.from(hkdfSync('sha256', secret, '', `hosting-mark/1 ${table}`, MARK_BYTES))
    this.#keys = {
      users: keyOf('users'),
      sessions: keyOf('sessions'),
      api_tokens: keyOf('api_tokens'),
      grants: keyOf('grants'),
      part_grants: keyOf('part_grants'),
      groups: keyOf('groups'),
      group_members: keyOf('group_members'),
      group_grants: keyOf('group_grants'),
      policy_rules: keyOf('policy_rules'),
      invitations: keyOf('invitations'),
      passkeys: keyOf('passkeys'),
      password_resets: keyOf('password_resets'),
      server_agents: keyOf('server_agents'),
      user_factors: keyOf('user_factors'),
      identity_providers: keyOf('identity_providers'),
      identities: keyOf('identities'),
      sso_flows: keyOf('sso_flows'),
    }
    this.#log = log
  }

  of<T extends MarkedTable>(table: T, row: CoveredColumns<T>): string {
    return this.#mac(table, row).toString('base64url')
  }

  /** Whether a holder of the secret wrote the row; false is logged. */
  fits<T extends MarkedTable>(table: T, row: MarkedRow<T>): boolean {
    const given = Buffer.from(row.mark, 'base64url')
    const fits = given.length === MARK_BYTES && timingSafeEqual(given, this.#mac(table, row))
    if (!fits) this.#report(table, row)
    return fits
  }

  #mac<T extends MarkedTable>(table: T, row: CoveredColumns<T>): Buffer {
    const values = COVERED_COLUMNS[table].map((column) => Reflect.get(row, column) ?? null)
    const later = Object.entries(LATER_COLUMNS[table]).flatMap(([column, initial]) => {
      const value = Reflect.get(row, column) ?? initial
      return value === initial ? [] : [[column, value]]
    })
    const text = JSON.stringify([...values, ...later])
    return createHmac('sha256', this.#keys[table]).update(text).digest()
  }

  #report<T extends MarkedTable>(table: T, row: MarkedRow<T>): void {
    const name = `${table} ${this.of(table, row)} ${row.mark}`
    if (this.#reported.has(name) || this.#reported.size >= MAX_REPORTED) return
    this.#reported.add(name)
    this.#log.error(`A row of ${table} was changed outside of the dashboard`, undefined, {
      table,
    })
  }
}
