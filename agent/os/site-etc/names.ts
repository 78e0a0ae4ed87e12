import { PHP_VERSIONS } from '#shared/php-support.ts'

/**
 * What a site sees of the server's /etc: a list of what is allowed, since any package and any
 * administrator may keep names of users or domains in a file of its own, which no list of what is
 * denied would have. It is what PHP and its extensions, the programs that WordPress starts (convert,
 * gs, mariadb, curl) and the C library read.
 */

/** Folders of the server itself, as they are at each moment. Few: each takes time at every start. */
export const ETC_FOLDERS = [
  'ImageMagick-6',
  'ImageMagick-7',
  'alternatives',
  'fonts',
  'freetds',
  'ghostscript',
  'gnutls',
  'ldap',
  'mysql',
  'php',
  'ssl',
] as const

/**
 * Copies, which the follower keeps current: a file mounted over another one is lost when the other one
 * is replaced, as every program that writes here does.
 */
export const ETC_FILES = [
  'debian_version',
  'environment',
  'gai.conf',
  'host.conf',
  'hostname',
  'hosts',
  'inputrc',
  'krb5.conf',
  'ld.so.cache',
  'ld.so.preload',
  'locale.alias',
  'localtime',
  'lsb-release',
  'magic',
  'magic.mime',
  'mailcap',
  'mime.types',
  'mtab',
  'my.cnf',
  'networks',
  'nsswitch.conf',
  'odbcinst.ini',
  'os-release',
  'papersize',
  'profile',
  'protocols',
  'resolv.conf',
  'rpc',
  'services',
  'shells',
  'timezone',
  'wgetrc',
] as const

/** Those that repositories for Debian still have, and the next one. */
const PHP = [...PHP_VERSIONS.filter((php) => php >= '5.6'), '8.6']

/** Within those folders: pools that an administrator has made are named after their users. */
export const HIDDEN_IN_ETC = PHP.map((php) => `/etc/php/${php}/fpm/pool.d`)
