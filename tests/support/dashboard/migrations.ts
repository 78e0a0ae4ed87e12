import { type KnownMigration, knownMigrations } from '#dashboard/kernel/db/migrations.ts'

/**
 * A published file is never edited: a change is a new migration, whose SHA-256 is added to the end
 * of this list.
 */
export const RELEASED = [
  // 0000_initial.sql
  '7a34050c7fc8747c222679e2b9593e7b9f7ecd26964b396a261fb88362a1599d',
  // 0001_roles.sql
  '0f6000a0f634b3dac816482266436b86f747d6d7bebc26969b6cacc8875a9955',
  // 0002_totp.sql
  '572a92804ba8a6e4a5a0fa89546ef7da3c6f12ac5263bc9f75aa05efe2d5dd96',
  // 0003_record.sql
  'b5b67141a89024eb9f4ec99055255f8f4c86156028c740fc34efcf4397b4e1a2',
  // 0004_accounts.sql
  'b4c9dd90e500d72da8b5d5f3eeeef4d7565b2a90cae9a3e3c97dd1afdd2eaf65',
  // 0005_profile.sql
  '0b36370fc2a77cd5ffef9f58cf231a7d03349efc199d980317a6e6d0e97bbc8c',
  // 0006_part_grants.sql
  '7b04216f0b4be0663030a65c28de7b42f726b794adeeb805095ef6abf553bdf9',
  // 0007_remote_logins.sql
  '3e1ea7db72cb5965d1e03eb84a8c013facecd4d1967c0ebccd58d3b9f35955d0',
  // 0008_oidc.sql
  'c81f28fc1824c59b779a0f6a046063d4ca73d12cb60ab4b4058453b2ded35990',
  // 0009_passkeys.sql
  '55cf0c330c625f174815cab8745bc8e7c71b25b87bac74241fb9e6874b5a60d1',
  // 0010_site_reports.sql
  'a3b9dc435ade0dcca5466fe81af106b1b998daf824b333e41a62e99f15c34ede',
  // 0011_clients.sql
  '7534ad0d412004f64d09bd8fb3d411ef83aa72fc16bb0a9390f2cbe387b1a121',
  // 0012_tokens.sql
  '3a1083187780513717993e2c3e48803d934eb7d464051fcb938547a68a1a9210',
  // 0013_groups.sql
  '6f59d0a741e8e0e27ca5376d27dc6e46143e160cd23c2200058f89d3a7689005',
  // 0014_policy_rules.sql
  '5e7566424b571d0345adea52f72eb9fe7393ac83bbcf29a7338f0b3802b0b850',
  // 0015_invitation_groups.sql
  '542b9f0ab6cdb3cd3fde364675896f30651c4f4743bddbacc39a75f3b3b6b6f1',
]

/** The migrations of a later version of the dashboard: those of this one, and two more. */
export const LATER: readonly KnownMigration[] = [
  ...knownMigrations(),
  { hash: 'second', created_at: 8e15, sql: ['CREATE TABLE `second` (`id` integer)'] },
  {
    hash: 'third',
    created_at: 9e15,
    sql: ['CREATE TABLE `third` (`id` integer)', 'ALTER TABLE `second` ADD `name` text'],
  },
]
