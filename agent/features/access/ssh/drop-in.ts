import { CLIENT_GROUP } from '#agent/features/access/clients.ts'
import { GATE_GROUP, GATE_PROGRAM } from '#agent/features/access/gate.ts'
import { GROUP, KEYS } from '#agent/features/access/places.ts'
import { MARK_LINE } from '#agent/kernel/effects/generated.ts'
import { HOMES } from '#agent/kernel/site/paths.ts'

/**
 * The settings of sessions of sites. Each is named, also where it is the default: an administrator may
 * have set it otherwise for everybody.
 */
export const SETTINGS = {
  AuthenticationMethods: 'publickey',
  PubkeyAuthentication: 'yes',
  PasswordAuthentication: 'no',
  KbdInteractiveAuthentication: 'no',
  HostbasedAuthentication: 'no',
  GSSAPIAuthentication: 'no',
  KerberosAuthentication: 'no',
  AuthorizedKeysFile: `${KEYS}/%u`,
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

/** The same for the accounts of shells: their client is all that they can run. */
export const SHELL_SETTINGS = {
  ...SETTINGS,
  ChrootDirectory: 'none',
  ForceCommand: GATE_PROGRAM,
  PermitTTY: 'yes',
} as const

/** For the accounts with a password: their home is the folder of the site. */
export const CLIENT_SETTINGS = {
  ...SETTINGS,
  AuthenticationMethods: 'password',
  PubkeyAuthentication: 'no',
  PasswordAuthentication: 'yes',
  PermitEmptyPasswords: 'no',
  AuthorizedKeysFile: 'none',
  ChrootDirectory: '%h',
  MaxAuthTries: '3',
} as const
export type Settings = typeof SETTINGS | typeof SHELL_SETTINGS | typeof CLIENT_SETTINGS

const blockOf = (group: string, settings: Settings): string => `Match Group ${group}
${Object.entries(settings)
  .map(([name, value]) => `    ${name} ${value}`)
  .join('\n')}
`

/** For members of the groups only: the sessions of all others have the settings that they had. */
export const DROP_IN_TEXT = `# ${MARK_LINE}
${[
  blockOf(GROUP, SETTINGS),
  blockOf(GATE_GROUP, SHELL_SETTINGS),
  blockOf(CLIENT_GROUP, CLIENT_SETTINGS),
].join('')}Match all
`
