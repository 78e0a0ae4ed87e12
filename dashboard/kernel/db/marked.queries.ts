import { invitations } from './access-schema.ts'
import {
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
import type { Database } from './client.ts'
import { identities, identity_providers, sso_flows } from './identity-schema.ts'
import type { MarkedRow, MarkedTable } from './marks.ts'
import { users } from './schema.ts'
import { server_agents } from './trust-schema.ts'

export type AllMarked = { [T in MarkedTable]: MarkedRow<T>[] }

/** Lists every row that has a mark, or should have one. */
export async function listMarked({ read }: Pick<Database, 'read'>): Promise<AllMarked> {
  return {
    users: await read.select().from(users),
    sessions: await read.select().from(sessions),
    api_tokens: await read.select().from(api_tokens),
    grants: await read.select().from(grants),
    part_grants: await read.select().from(part_grants),
    groups: await read.select().from(groups),
    group_members: await read.select().from(group_members),
    group_grants: await read.select().from(group_grants),
    policy_rules: await read.select().from(policy_rules),
    invitations: await read.select().from(invitations),
    passkeys: await read.select().from(passkeys),
    password_resets: await read.select().from(password_resets),
    server_agents: await read.select().from(server_agents),
    user_factors: await read.select().from(user_factors),
    identity_providers: await read.select().from(identity_providers),
    identities: await read.select().from(identities),
    sso_flows: await read.select().from(sso_flows),
  }
}
