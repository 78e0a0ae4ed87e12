import { generateKeyPairSync } from 'node:crypto'

const INSIDE = [
  ...['\n', '\r', '\r\n', '\0', '\t', '\v', '\f', '\x1b', '\x7f'],
  ...['\u0085', '\u2028', '\u2029', '\u00a0', '\ufeff', '\u202e', 'ä', '💩'],
]

/** Values with one character that no line of printable ASCII has. */
export const brokenLines: readonly string[] = [
  ...INSIDE.flatMap((character) => [
    `secret${character}next=value`,
    `${character}secret`,
    `secret${character}`,
  ]),
  'sk\ncredential_process=/usr/bin/cp /etc/passwd /cache/',
]

/** Printable values that mean something in one format or another. */
export const speakingLines: readonly string[] = [
  ...[
    '#',
    ';',
    '"',
    "'",
    '`',
    '\\',
    '$',
    '%',
    '=',
    ':',
    '[',
    ']',
    '{',
    '}',
    '(',
    ')',
    '~',
    '!',
    '@',
  ],
  ...[
    '<?',
    '?>',
    '--',
    '/*',
    '*/',
    '//',
    '%%',
    '%i',
    '$HOME',
    '$' + '{HOME}',
    '$(id)',
    '`id`',
    '"""',
  ],
].flatMap((sign) => [sign, `a${sign}b`, `${sign}a`, `a${sign}`, `${sign}a${sign}`])

/** A private key that ssh(1) reads, and that no account has. */
export const sshKey = (): string =>
  generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  }).privateKey
