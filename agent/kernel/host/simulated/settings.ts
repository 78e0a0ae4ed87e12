import type { HostSettings } from '#agent/kernel/host/settings.ts'

export const SETTINGS: HostSettings = {
  state_dir: '/var/lib/hosting-agent',
  wordpress_url: 'https://wordpress.example',
  wordpress_checksums_url: 'https://checksums.example/1.0',
  wp_cli_url: 'https://wp-cli.example/wp-cli.phar',
  wp_cli_sha512: '0'.repeat(128),
  restic_urls: ['https://restic.example/restic'],
  restic_sha256: '1'.repeat(64),
  restic_stall_ms: 1_500_000,
  php_source: {
    url: 'https://php.example/php',
    key_url: 'https://php.example/php/apt.gpg',
    fingerprint: '2'.repeat(40),
  },
  acme_directory: 'https://acme.example/directory',
  acme_ca_file: undefined,
  dns_hook: undefined,
  cdn_networks_file: undefined,
  cloudflare: { api: 'https://cloudflare.example/client/v4', token_file: undefined },
  wordpress_sha256: undefined,
  mail_dir: '/var/lib/hosting-mail',
  program: ['/usr/local/bin/hosting-agent'],
  version: '0.0.0',
  build: 0,
  publisher_key: undefined,
}
