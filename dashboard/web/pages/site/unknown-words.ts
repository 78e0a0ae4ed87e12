/** Why an agent does not know something of a found site. A code of a newer agent has no words. */
const REASONS: Readonly<Record<string, string>> = {
  no_pool: 'no PHP-FPM of this server is at its address',
  pool_version: 'the version of its PHP-FPM cannot be told',
  elsewhere: 'its PHP is on another machine',
  other_program: 'another program answers at the address of its PHP',
  proxied: 'a program behind a proxy serves it',
  reverse_proxy: 'a program behind a proxy serves it',
  fixed_answer: 'the web server answers by itself',
  static_response: 'the web server answers by itself',
  folder_missing: 'its folder is not there',
  no_folder: 'its folder is not known',
  nothing_readable: 'nothing in its folder can be read',
  no_plain_value: 'its configuration does not name it as plain text',
  certificate_unreadable: 'its certificate cannot be read',
  no_certificate_yet: 'it has no certificate yet',
  no_answer: 'it did not answer',
}

/** What is shown in the place of a fact; undefined: its agent knows it. */
export function unknownWords(
  unknown: Readonly<Record<string, string>>,
  fact: string,
): string | undefined {
  const code = unknown[fact]
  if (code === undefined) return undefined
  const reason = REASONS[code]
  return reason === undefined ? 'unknown' : `unknown: ${reason}`
}
