import { PHP_VERSIONS } from '#shared/php/php-support.ts'

/**
 * The part of the server's /etc that sites see: a list of allowed names, since any package and any
 * administrator may keep names of users or domains in own files, which no deny list would have.
 * These are the files that PHP and its extensions, the programs that WordPress starts (convert, gs,
 * mariadb, curl) and the C library read.
 */

/** Mounted folders of the server itself. Few: each of them slows every start down. */
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
 * Copies, which the follower keeps current: a mount over a file is lost when the file is replaced,
 * as every program that writes here does.
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

/** The PHP versions that repositories for Debian still have, and the next one. */
const PHP = [...PHP_VERSIONS.filter((php) => php >= '5.6'), '8.6']

/** Within those folders: pools that an administrator has made are named after their users. */
export const HIDDEN_IN_ETC = PHP.map((php) => `/etc/php/${php}/fpm/pool.d`)
