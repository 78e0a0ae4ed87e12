import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { emptyText, idColumn } from './columns.ts'
import { users } from './schema.ts'

/** Providers of OpenID Connect, of which each has an issuer of its own. */
export const identity_providers = sqliteTable('identity_providers', {
  /** The last segment of the redirect address, which is registered at the provider. */
  key: text().primaryKey(),
  name: text().notNull().unique(),
  /** The exact `iss` of its ID tokens. */
  issuer: text().notNull().unique(),
  client_id: text().notNull(),
  /** The client secret, sealed (trust/seal.ts). */
  secret_sealed: text().notNull(),
  scope: text().notNull(),
  /** 1: it can be used; else 0. */
  is_enabled: integer().notNull(),
  /** 1: it asks for a second factor itself, so that the dashboard does not; else 0. */
  own_factor: integer().notNull(),
  /** The claim whose values give roles; empty: it makes no account. */
  claim: text().notNull(),
  /** The values and their roles, as the text of a JSON list. */
  roles: text().notNull(),
  created_at: text().notNull(),
  /** Proves that the dashboard wrote the row: marks.ts. */
  mark: emptyText(),
})

/** Who an account is at a provider: the issuer and the subject of its ID tokens, and nothing else. */
export const identities = sqliteTable(
  'identities',
  {
    id: idColumn(),
    issuer: text().notNull(),
    subject: text().notNull(),
    user_id: integer()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** The name at the provider when it was linked, for the owner of the account alone. */
    label: text().notNull(),
    linked_at: text().notNull(),
    /** Proves that the dashboard wrote the row: marks.ts. */
    mark: emptyText(),
  },
  (table) => [
    uniqueIndex('identities_subject').on(table.issuer, table.subject),
    index('identities_user').on(table.user_id),
  ],
)

/** The purposes of a login at a provider; `code`: it has succeeded, and the second factor is left. */
const SSO_PURPOSES = ['login', 'link', 'invitation', 'code'] as const

/** Logins at a provider that have begun, each of which is used once. */
export const sso_flows = sqliteTable('sso_flows', {
  /** The SHA-256 of the state, in hex. */
  hash: text().primaryKey(),
  /** The SHA-256 of the cookie of the browser that began it, in hex. */
  browser_hash: text().notNull(),
  provider: text().notNull(),
  purpose: text({ enum: SSO_PURPOSES }).notNull(),
  /** The account that is linked or waits for its code; 0: none. */
  user_id: integer().notNull(),
  /** The session that links an account; empty: none. */
  jti: text().notNull(),
  /** The SHA-256 of the token of an invitation; empty: none. */
  invitation_hash: text().notNull(),
  /** The page of this dashboard that is opened afterwards. */
  return_to: text().notNull(),
  /** The code verifier and the nonce, sealed (trust/seal.ts). */
  checks_sealed: text().notNull(),
  expires_at: text().notNull(),
  /** Proves that the dashboard wrote the row: marks.ts. */
  mark: emptyText(),
})
