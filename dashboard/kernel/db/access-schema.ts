import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { SiteAccessReport } from '#shared/access/site.access.ts'
import { ACCESS_KINDS } from '#shared/access/site-access.ts'
import { SSH_KEY_TYPES } from '#shared/access/ssh-keys.ts'
import { ROLES } from '#shared/kernel/rights.ts'
import { emptyText } from './columns.ts'
import { servers, sites, users } from './schema.ts'

/** People who may log in to sites, to this dashboard, or to both. */
export const people = sqliteTable('people', {
  id: integer().primaryKey({ autoIncrement: true }),
  name: text().notNull().unique(),
  created_at: text().notNull(),
  /** The account of the person at this dashboard; null: none. */
  user_id: integer()
    .unique()
    .references(() => users.id),
  /** When the account was last deactivated or removed: every earlier access to a site ends. */
  access_ended_at: text(),
})

/**
 * Invitations that nobody has accepted yet. `hash` is the SHA-256 of a token of 256 random bits, in
 * hex; `email` is in lower case.
 */
export const invitations = sqliteTable('invitations', {
  person_id: integer()
    .primaryKey()
    .references(() => people.id, { onDelete: 'cascade' }),
  hash: text().notNull().unique(),
  email: text().notNull().unique(),
  /** `none`: the account has no role in the whole fleet, only `parts`. */
  role: text({ enum: ['none', ...ROLES] }).notNull(),
  /** 1: the account may also see secrets; else 0. */
  secrets: integer().notNull(),
  /** The grants on parts of the fleet, as JSON: an array of PartGrant (rights.ts). */
  parts: text().notNull().default('[]'),
  /** The ids of the groups that the account becomes a member of, as JSON: an array of numbers. */
  groups: text().notNull().default('[]'),
  /** The account that has sent it. */
  invited_by: integer()
    .notNull()
    .references(() => users.id),
  created_at: text().notNull(),
  expires_at: text().notNull(),
  /** Proves that the dashboard wrote the row: marks.ts. */
  mark: emptyText(),
})

/** Public keys: one key belongs to one person, so that a session names a person. */
export const person_keys = sqliteTable(
  'person_keys',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    person_id: integer()
      .notNull()
      .references(() => people.id, { onDelete: 'cascade' }),
    type: text({ enum: SSH_KEY_TYPES }).notNull(),
    blob: text().notNull(),
    fingerprint: text().notNull().unique(),
    comment: text().notNull().default(''),
    created_at: text().notNull(),
  },
  (table) => [index('person_keys_person').on(table.person_id)],
)

/** Who may log in to which site, as its agent confirmed it last. */
export const site_access = sqliteTable(
  'site_access',
  {
    site_id: integer()
      .notNull()
      .references(() => sites.id, { onDelete: 'cascade' }),
    person_id: integer()
      .notNull()
      .references(() => people.id),
    kind: text({ enum: ACCESS_KINDS }).notNull(),
    expires_at: text(),
    /** When the operation began that has set it; null: before this was recorded. */
    granted_at: text(),
  },
  (table) => [
    primaryKey({ columns: [table.site_id, table.person_id] }),
    index('site_access_person').on(table.person_id),
  ],
)

/** Logins to a site; the person is whoever has the key. */
export const site_sessions = sqliteTable(
  'site_sessions',
  {
    site_id: integer()
      .notNull()
      .references(() => sites.id, { onDelete: 'cascade' }),
    at: text().notNull(),
    address: text().notNull(),
    /** Empty for a password. */
    fingerprint: text().notNull(),
    /** The token of the client account; null: a key. */
    client: text(),
    /** What the session was for: SFTP or a shell; null for a session from before this column. */
    kind: text({ enum: ACCESS_KINDS }),
    /** The time at which the session ended; null when it is open or was cut off. */
    ended_at: text(),
  },
  (table) => [
    primaryKey({ columns: [table.site_id, table.at, table.address, table.fingerprint] }),
    index('site_sessions_at').on(table.at),
  ],
)

/** What is recorded of the list of logins of each agent: its numbers show which entries are missing. */
export const login_lists = sqliteTable('login_lists', {
  server_id: integer()
    .primaryKey()
    .references(() => servers.id, { onDelete: 'cascade' }),
  /** The id of the list; empty for an agent that does not count. */
  list: text().notNull(),
  /** The number of its newest recorded entry. */
  newest: integer().notNull(),
  /** The last hour whose refused attempts are recorded; empty: none. */
  refused_until: text().notNull(),
  /** Counts the changes of the row: each is based on the one before it. */
  revision: integer().notNull(),
})

/** Accounts with a password, as the agent confirmed them last; the password is stored nowhere. */
export const site_clients = sqliteTable(
  'site_clients',
  {
    site_id: integer()
      .notNull()
      .references(() => sites.id, { onDelete: 'cascade' }),
    token: text().notNull(),
    label: text().notNull(),
    expires_at: text(),
    password_hash: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.site_id, table.token] })],
)

/** What the agent of a server reported last; after a move, the new server has not reported yet. */
export const site_logins = sqliteTable('site_logins', {
  site_id: integer()
    .primaryKey()
    .references(() => sites.id, { onDelete: 'cascade' }),
  server_id: integer().notNull(),
  report: text({ mode: 'json' }).$type<SiteAccessReport>().notNull(),
})
