import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { GRANTS, PART_GRANTS } from '#shared/kernel/rights.ts'
import { TOKEN_SCOPES } from '#shared/kernel/values.ts'
import { emptyText, idColumn } from './columns.ts'
import { servers, sites, users } from './schema.ts'

const owner = () =>
  integer()
    .notNull()
    .references(() => users.id, { onDelete: 'cascade' })

/**
 * A signed-in browser: its JWT is valid while the row of its `jti` exists. `confirmed_at`: when its
 * user last gave the password.
 */
export const sessions = sqliteTable(
  'sessions',
  {
    jti: text().primaryKey(),
    user_id: owner(),
    created_at: text().notNull(),
    renewed_at: text().notNull(),
    expires_at: text().notNull(),
    confirmed_at: text(),
    /** What the browser called itself at the login, cut; empty for a session from before there was this. */
    user_agent: emptyText(),
    /** The address of the login. */
    address: emptyText(),
    /** The time of the last request, to the minute; the mark does not cover it. */
    last_used_at: text(),
    /** Proves that the dashboard wrote the row: db/marks.ts. */
    mark: emptyText(),
  },
  (table) => [index('sessions_user').on(table.user_id)],
)

/**
 * An authenticator app of a user (RFC 6238). Its codes are asked for while the row of the user has
 * its id; until it is confirmed, it has no effect.
 */
export const user_factors = sqliteTable(
  'user_factors',
  {
    id: text().primaryKey(),
    user_id: owner(),
    /** The secret in base32 (trust/seal.ts); empty after a reset. */
    secret_sealed: emptyText(),
    created_at: text().notNull(),
    confirmed_at: text(),
    /** The time step of the newest code that was used: no code of it or an older one counts. */
    last_step: integer().notNull().default(0),
    /** The hashes of the unused recovery codes, with blanks between them. */
    recovery_codes: emptyText(),
    /** When a command on the machine of the dashboard removed the factor; the row reports that. */
    reset_at: text(),
    /** Proves that the dashboard wrote the row: db/marks.ts. */
    mark: emptyText(),
  },
  (table) => [index('user_factors_user').on(table.user_id)],
)

/** A passkey of a user (WebAuthn Level 3): its private key is in an authenticator. */
export const passkeys = sqliteTable(
  'passkeys',
  {
    id: text().primaryKey(),
    user_id: owner(),
    name: text().notNull(),
    /** The id that the authenticator gave it, in base64url. */
    credential_id: text().notNull().unique(),
    /** The COSE key, in base64url. */
    public_key: text().notNull(),
    /** The newest signature counter of the authenticator; 0 for one that does not count. */
    counter: integer().notNull(),
    /** How browsers reach the authenticator, with blanks between them. */
    transports: emptyText(),
    /** 1: a password manager keeps a copy of it; else 0. */
    backed_up: integer().notNull(),
    created_at: text().notNull(),
    /** The mark does not cover it. */
    last_used_at: text(),
    /** Proves that the dashboard wrote the row: db/marks.ts. */
    mark: emptyText(),
  },
  (table) => [index('passkeys_user').on(table.user_id)],
)

/** A challenge that a passkey has signed: it counts once. `hash` is its SHA-256, in hex. */
export const used_challenges = sqliteTable('used_challenges', {
  hash: text().primaryKey(),
  expires_at: text().notNull(),
})

/** `hash` is the SHA-256 of a token of 256 random bits, in hex. */
export const api_tokens = sqliteTable('api_tokens', {
  id: integer().primaryKey({ autoIncrement: true }),
  user_id: owner(),
  name: text().notNull(),
  hash: text().notNull().unique(),
  scope: text({ enum: TOKEN_SCOPES }).notNull().default('read'),
  created_at: text().notNull(),
  expires_at: text().notNull().default(''),
  last_used_at: text(),
  /** The address of the last use; null: not used since this is recorded. */
  last_address: text(),
  /** The networks from which the token may be used, as JSON: an array of texts; null: no limit. */
  addresses: text(),
  /** The parts of the fleet for which the token may be used, as JSON: an array of Part; null: no limit. */
  only_for: text(),
  /** How many uses from other addresses were refused. */
  refused: integer().notNull().default(0),
  /** The time of the last entry of the activity about them. */
  refused_at: text(),
  /** Proves that the dashboard wrote the row: db/marks.ts. */
  mark: emptyText(),
})

/** The addresses from which an API token was used, each a network of one client (auth/login.ts). */
export const token_addresses = sqliteTable(
  'token_addresses',
  {
    token_id: integer()
      .notNull()
      .references(() => api_tokens.id, { onDelete: 'cascade' }),
    address: text().notNull(),
    first_at: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.token_id, table.address] })],
)

/** What an account may do in the whole fleet: its role, and the secrets beside a role. They add up. */
export const grants = sqliteTable(
  'grants',
  {
    user_id: owner(),
    gives: text({ enum: GRANTS }).notNull(),
    given_at: text().notNull(),
    /** Proves that the dashboard wrote the row: db/marks.ts. */
    mark: emptyText(),
  },
  (table) => [primaryKey({ columns: [table.user_id, table.gives] })],
)

/**
 * What an account may do on a part of the fleet: on the servers with a tag, on one server, or on one
 * site. One of the three columns is set.
 */
export const part_grants = sqliteTable(
  'part_grants',
  {
    id: idColumn(),
    user_id: owner(),
    gives: text({ enum: PART_GRANTS }).notNull(),
    tag: text(),
    server_id: integer().references(() => servers.id, { onDelete: 'cascade' }),
    site_id: integer().references(() => sites.id, { onDelete: 'cascade' }),
    given_at: text().notNull(),
    /** Proves that the dashboard wrote the row: db/marks.ts. */
    mark: emptyText(),
  },
  (table) => [index('part_grants_user').on(table.user_id)],
)

/** Accounts that have grants together; no group is an owner. */
export const groups = sqliteTable('groups', {
  id: idColumn(),
  name: text().notNull().unique(),
  made_at: text().notNull(),
  /** Proves that the dashboard wrote the row: db/marks.ts. */
  mark: emptyText(),
})

const ofGroup = () =>
  integer()
    .notNull()
    .references(() => groups.id, { onDelete: 'cascade' })

export const group_members = sqliteTable(
  'group_members',
  {
    group_id: ofGroup(),
    user_id: owner(),
    added_at: text().notNull(),
    /** Proves that the dashboard wrote the row: db/marks.ts. */
    mark: emptyText(),
  },
  (table) => [
    primaryKey({ columns: [table.group_id, table.user_id] }),
    index('group_members_user').on(table.user_id),
  ],
)

/**
 * What the members of a group may do: in the whole fleet where all three columns are null, which a
 * client grant never is, and else on the part of the fleet that one of them names.
 */
export const group_grants = sqliteTable(
  'group_grants',
  {
    id: idColumn(),
    group_id: ofGroup(),
    gives: text({ enum: PART_GRANTS }).notNull(),
    tag: text(),
    server_id: integer().references(() => servers.id, { onDelete: 'cascade' }),
    site_id: integer().references(() => sites.id, { onDelete: 'cascade' }),
    given_at: text().notNull(),
    /** Proves that the dashboard wrote the row: db/marks.ts. */
    mark: emptyText(),
  },
  (table) => [index('group_grants_group').on(table.group_id)],
)

/** A link for a new password: an account has one at a time. `hash` is the SHA-256 of its token, in hex. */
export const password_resets = sqliteTable('password_resets', {
  user_id: owner().primaryKey(),
  hash: text().notNull().unique(),
  created_at: text().notNull(),
  expires_at: text().notNull(),
  /** Proves that the dashboard wrote the row: db/marks.ts. */
  mark: emptyText(),
})

/**
 * What an account can or cannot do, as an owner wrote it: a change after which a rule would not hold
 * is refused. Without `tag`, `server_id` and `site_id` it is about the whole fleet.
 */
export const policy_rules = sqliteTable(
  'policy_rules',
  {
    id: idColumn(),
    user_id: owner(),
    /** 1: the account can do it; 0: it cannot. */
    can: integer().notNull(),
    /** A type of operation or a right (policy-rules.ts). */
    what: text().notNull(),
    tag: text(),
    server_id: integer().references(() => servers.id, { onDelete: 'cascade' }),
    site_id: integer().references(() => sites.id, { onDelete: 'cascade' }),
    created_at: text().notNull(),
    /** Proves that the dashboard wrote the row: db/marks.ts. */
    mark: emptyText(),
  },
  (table) => [index('policy_rules_user').on(table.user_id)],
)
