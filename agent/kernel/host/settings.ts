export interface PhpSource {
  /** Has `dists/<codename>/main`; http(s): or file:, without a slash at its end. */
  url: string
  key_url: string
  /** The fingerprint of an OpenPGP key of version 4: 40 upper-case hexadecimal digits. */
  fingerprint: string
}

/** Sources of downloads and folders: AGENT_* variables, see agent/kernel/config.ts. */
export interface HostSettings {
  state_dir: string
  /** Base address with latest.tar.gz, wordpress-<version>.tar.gz and their .sha1; http(s): or file:. */
  wordpress_url: string
  /** The MD5 lists of releases of WordPress: a service like that of wordpress.org, or a folder (file:). */
  wordpress_checksums_url: string
  /** Address of the wp-cli phar and the SHA-512 that it must have (128 hexadecimal digits). */
  wp_cli_url: string
  wp_cli_sha512: string
  /** Addresses of restic, a Debian package or the program itself, and their SHA-256. */
  restic_urls: readonly string[]
  restic_sha256: string
  /** The time without progress after which restic is ended. */
  restic_stall_ms: number
  /** The apt repository with further PHP versions: address, that of its key, and its fingerprint. */
  php_source: PhpSource
  /** ACME directory, and a PEM file with a further root for it (undefined: the system's roots). */
  acme_directory: string
  acme_ca_file: string | undefined
  /** A program of root that sets and removes TXT records; undefined: there is none. */
  dns_hook: string | undefined
  /** A file of root with further networks of CDNs. */
  cdn_networks_file: string | undefined
  /** The API of Cloudflare, and a file of root with a token for it, which comes before the hook. */
  cloudflare: { api: string; token_file: string | undefined }
  /** SHA-256 of `latest.tar.gz` in hexadecimal; undefined: the one that the source publishes. */
  wordpress_sha256: string | undefined
  mail_dir: string
  /** The argv of this agent: the executable, or a runtime with the agent's source. */
  program: readonly string[]
  version: string
  /** Which build of the version this is, and the key that signs the next: see published.ts. */
  build: number
  publisher_key: string | undefined
}
