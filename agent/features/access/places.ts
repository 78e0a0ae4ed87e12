import { CONFIGURATION } from '#agent/kernel/site/paths.ts'

export const SSHD = '/usr/sbin/sshd'
export const SSHD_CONFIG = '/etc/ssh/sshd_config'
export const DROP_INS = '/etc/ssh/sshd_config.d'
/** The first by name: of several matching blocks, sshd uses the first one for each setting. */
export const DROP_IN = `${DROP_INS}/00-hosting-control.conf`

/** Root's, and outside of every site: no site can give itself access. */
export const ACCESS = `${CONFIGURATION}/ssh`
export const KEYS = `${ACCESS}/keys`
export const keysOf = (user: string) => `${KEYS}/${user}`
/** A complete configuration, which is tested before a part of it is in use. */
export const TRIAL = `${ACCESS}/trial`

/** The users of the sites that somebody may log in to. */
export const GROUP = 'hosting-sftp'
