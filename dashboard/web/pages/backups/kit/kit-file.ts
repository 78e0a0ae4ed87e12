export const KIT_FILE = 'hosting-control-recovery-kit.txt'

/** How `openssl` opens what was encrypted to the kit. */
const OAEP = '-pkeyopt rsa_padding_mode:oaep -pkeyopt rsa_oaep_md:sha256'
export const DECRYPT = `openssl base64 -d -A | openssl pkeyutl -decrypt -inkey ${KIT_FILE} ${OAEP}`

/** From a copy of a repository and the kit to the files and the database of a site. */
export const restoreCommands = (fingerprint: string): readonly string[] => [
  `jq -r 'select(.hostname == "recovery-${fingerprint}").username' REPOSITORY/keys/* | ${DECRYPT} > password`,
  'restic -r REPOSITORY --no-lock --password-file password restore latest:/site/public --tag files --target public',
  'restic -r REPOSITORY --no-lock --password-file password dump --tag database latest /database.sql > database.sql',
]

interface Kit {
  fingerprint: string
  created_at: string
  /** PKCS #8 in PEM. */
  private_key: string
}

/** The text that the user keeps. `openssl` reads the key in it, and ignores the rest. */
export function renderKit({ fingerprint, created_at, private_key }: Kit): string {
  const [password, files, database] = restoreCommands(fingerprint)
  return `Hosting Control: recovery kit
Fingerprint: ${fingerprint}
Created: ${created_at}

This key opens the backups of all sites, without the dashboard and without the servers. Whoever has
it and the storage can read every site. Keep it offline, in two safe places: on paper, or on a disk
that is not connected. Nobody can create it again.

To restore a site, install restic, jq and openssl, and use this file with its original name.
REPOSITORY is the folder of the site in the backup target. For a target that is not a local folder,
write its address for restic after -r, and copy its folder keys to REPOSITORY/keys first.

1. Decrypt the password of the repository:
${password}

2. Restore the files into the folder "public":
${files}

3. Restore the database into the file "database.sql":
${database}

${private_key.trim()}
`
}

/** The private key in the text of a kit, as PEM; undefined if there is none. */
export function privateKeyIn(text: string): string | undefined {
  const [pem] =
    /-----BEGIN PRIVATE KEY-----[A-Za-z0-9+/=\s]+-----END PRIVATE KEY-----/.exec(text) ?? []
  return pem
}
