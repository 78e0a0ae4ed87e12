export interface PhpSource {
  /** The address with `dists/<codename>/main`; http(s): or file:, without a final slash. */
  url: string
  key_url: string
  /** The fingerprint of an OpenPGP key of version 4: 40 upper-case hexadecimal digits. */
  fingerprint: string
}

/** The sources of downloads and folders, from AGENT_* variables: see agent/kernel/config.ts. */
export interface HostSettings {
  state_dir: string
  /** The base address with latest.tar.gz, wordpress-<version>.tar.gz, .sha1; http(s) or file. */
  wordpress_url: string
  /** The source of the MD5 lists of WordPress releases: a service, or a folder (file:). */
  wordpress_checksums_url: string
  /** The address of the wp-cli phar and its SHA-512 (128 hexadecimal digits). */
  wp_cli_url: string
  wp_cli_sha512: string
  /** The addresses of restic, a Debian package or the program itself, and their SHA-256. */
  restic_urls: readonly string[]
  restic_sha256: string
  /** The time without progress after which restic is ended. */
  restic_stall_ms: number
  /** The apt repository with further PHP versions: address, that of its key, and its fingerprint. */
  php_source: PhpSource
  /** ACME directory, and a PEM file with a further root for it (undefined: the system's roots). */
  acme_directory: string
  acme_ca_file: string | undefined
  /** The path of a program of root that sets and removes TXT records; undefined without one. */
  dns_hook: string | undefined
  /** The path of a file of root with further networks of CDNs. */
  cdn_networks_file: string | undefined
  /** The API of Cloudflare and a file of root with a token for it, used before the hook. */
  cloudflare: { api: string; token_file: string | undefined }
  /** The SHA-256 of `latest.tar.gz` in hexadecimal; undefined for the published one. */
  wordpress_sha256: string | undefined
  mail_dir: string
  /** The argv of this agent: the executable, or a runtime with the agent's source. */
  program: readonly string[]
  version: string
  /** The number of this build of the version, and the key of the next: see published-build.ts. */
  build: number
  publisher_key: string | undefined
}
