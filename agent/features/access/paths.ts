import { CONFIGURATION } from '#agent/kernel/site/paths.ts'

export const SSHD = '/usr/sbin/sshd'
export const SSHD_CONFIG = '/etc/ssh/sshd_config'
export const DROP_INS = '/etc/ssh/sshd_config.d'
/** The first file by name: sshd uses the first of several matching blocks for each setting. */
export const DROP_IN = `${DROP_INS}/00-hosting-control.conf`

/** Only root can write here, and it is outside of every site: no site can give itself access. */
export const ACCESS_FOLDER = `${CONFIGURATION}/ssh`
export const KEYS_FOLDER = `${ACCESS_FOLDER}/keys`
export const keysOf = (user: string) => `${KEYS_FOLDER}/${user}`
/** A complete configuration, which is tested before a part of it is used. */
export const TRIAL_CONFIG = `${ACCESS_FOLDER}/trial`

/** The group of the site users with access by SFTP. */
export const SFTP_GROUP = 'hosting-sftp'
