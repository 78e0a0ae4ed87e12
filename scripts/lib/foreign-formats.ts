import type { Document } from './documents.ts'

/** Lines that only files of other programs have. */
const SIGNS = [
  /(?:^|[`'"])\[(?:Unit|Service|Timer|Socket|Path|Slice|Install)\]$/m,
  /(?:^|[`'"])\s*(?:fastcgi_pass|proxy_pass|server_name|auth_basic_user_file|ssl_certificate) \S/m,
  /\bpm\.max_children = /,
  /\baws_secret_access_key\b/,
  /\bIdentityFile\b/,
  /\* \* \* \* root /,
  /\bcopytruncate\b/,
  /^Signed-By: /m,
]

/** Each with its reason: what writes or names such a line without a serialiser. */
const ALLOWED: Readonly<Record<string, string>> = {
  'agent/kernel/host/real/pages-helper.ts': 'runs as the site, and repeats the pool of that site',
  'agent/kernel/host/real/tool-helper.ts': 'its paths are made by the agent',
  'agent/features/isolation/login.ts': 'options of ssh, each an argument of its own',
  'agent/features/web/base.ts': 'addresses of the server itself',
  'agent/kernel/packages/php-source.ts': 'the address is checked with the environment of the agent',
  'agent/kernel/site-etc/shared.ts': 'constants',
}

/**
 * Returns the files that contain lines of units, virtual hosts, pools, credentials, crontabs or
 * rules of logrotate, and import no serialiser of `shared/kernel/formats`. An entry of the list above that
 * is no such file any more is returned, too.
 */
export function withoutSerialiser(files: readonly Document[]): string[] {
  const found = files
    .filter(({ path }) => !path.startsWith('shared/kernel/formats/') && path !== OWN)
    .filter(({ text }) => SIGNS.some((sign) => sign.test(text)))
    .filter(({ text }) => !/ from '#shared\/kernel\/formats\//.test(text))
    .map(({ path }) => path)
  const stale = Object.keys(ALLOWED).filter((path) => !found.includes(path))
  return [
    ...found.filter((path) => !(path in ALLOWED)),
    ...(files.length > 1 ? stale.map((path) => `${path} needs no exception`) : []),
  ]
}

const OWN = 'scripts/lib/foreign-formats.ts'
