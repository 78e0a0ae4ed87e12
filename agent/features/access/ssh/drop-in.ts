import { CLIENT_GROUP } from '#agent/features/access/clients.ts'
import { KEYS_FOLDER, SFTP_GROUP } from '#agent/features/access/paths.ts'
import { SHELL_CLIENT, SHELL_GROUP } from '#agent/features/access/shell-account.ts'
import { MARK_LINE } from '#agent/kernel/effects/generated.ts'
import { HOMES } from '#agent/kernel/site/paths.ts'

/** The settings of SFTP sessions of sites, also defaults: an administrator may change them. */
export const SFTP_SETTINGS = {
  AuthenticationMethods: 'publickey',
  PubkeyAuthentication: 'yes',
  PasswordAuthentication: 'no',
  KbdInteractiveAuthentication: 'no',
  HostbasedAuthentication: 'no',
  GSSAPIAuthentication: 'no',
  KerberosAuthentication: 'no',
  AuthorizedKeysFile: `${KEYS_FOLDER}/%u`,
  AuthorizedKeysCommand: 'none',
  AuthorizedPrincipalsFile: 'none',
  TrustedUserCAKeys: 'none',
  ChrootDirectory: `${HOMES}/%u`,
  ForceCommand: 'internal-sftp -d /public -u 0027',
  DisableForwarding: 'yes',
  PermitTunnel: 'no',
  PermitTTY: 'no',
  PermitUserRC: 'no',
  MaxSessions: '4',
  ClientAliveInterval: '60',
  ClientAliveCountMax: '3',
} as const

/** The settings of shell accounts, which can only run their client. */
export const SHELL_SETTINGS = {
  ...SFTP_SETTINGS,
  ChrootDirectory: 'none',
  ForceCommand: SHELL_CLIENT,
  PermitTTY: 'yes',
} as const

/** The settings of accounts with a password: their home is the folder of the site. */
export const CLIENT_SETTINGS = {
  ...SFTP_SETTINGS,
  AuthenticationMethods: 'password',
  PubkeyAuthentication: 'no',
  PasswordAuthentication: 'yes',
  PermitEmptyPasswords: 'no',
  AuthorizedKeysFile: 'none',
  ChrootDirectory: '%h',
  MaxAuthTries: '3',
} as const
export type SessionSettings = typeof SFTP_SETTINGS | typeof SHELL_SETTINGS | typeof CLIENT_SETTINGS

const blockOf = (group: string, settings: SessionSettings): string => `Match Group ${group}
${Object.entries(settings)
  .map(([name, value]) => `    ${name} ${value}`)
  .join('\n')}
`

/** Applies to members of the groups only: the sessions of all others keep their settings. */
export const DROP_IN_TEXT = `# ${MARK_LINE}
${[
  blockOf(SFTP_GROUP, SFTP_SETTINGS),
  blockOf(SHELL_GROUP, SHELL_SETTINGS),
  blockOf(CLIENT_GROUP, CLIENT_SETTINGS),
].join('')}Match all
`
