import { PHP_VERSIONS } from '#shared/php/php-support.ts'

/**
 * The part of the server's /etc that sites see: a list of allowed names, since any package and any
 * administrator may keep names of users or domains in own files, which no deny list would have.
 * These are the files that PHP and its extensions, the programs that WordPress starts (convert, gs,
 * mariadb, curl) and the C library read.
 */

/** The mounted folders of the server itself. Few: each of them slows every start down. */
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

/** The copied files, which the follower keeps current, as a mount shows the replaced file. */
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
const ETC_PHP_VERSIONS = [...PHP_VERSIONS.filter((php) => php >= '5.6'), '8.6']

/** The hidden paths within those folders: an administrator's pools have users' names. */
export const HIDDEN_IN_ETC = ETC_PHP_VERSIONS.map((php) => `/etc/php/${php}/fpm/pool.d`)
