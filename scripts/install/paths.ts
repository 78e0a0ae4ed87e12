/** The paths of an installed dashboard. */
export const HOME = '/opt/hosting-control'
export const RELEASES = `${HOME}/releases`
/** A link to the running release. */
export const CURRENT = `${HOME}/current`
export const SETTINGS = '/etc/hosting-control'
export const OPTIONS = `${SETTINGS}/install.json`
export const ENVIRONMENT = `${SETTINGS}/dashboard.env`
/** Signs the builds of the agent; the user of the service cannot read it. */
export const RELEASE_KEY = `${SETTINGS}/release-key`
/** The public half of the recovery kit that root has confirmed. */
export const KIT = `${SETTINGS}/recovery-kit.pem`
export const SELF_SIGNED = { certificate: `${SETTINGS}/tls.pem`, key: `${SETTINGS}/tls.key` }
export const DATA = '/var/lib/hosting-control'
export const CACHE = '/var/cache/hosting-control'
/** The authority reads the answers to its challenges here. */
export const CHALLENGES = '/var/lib/hosting-control-acme'
export const UNIT = '/etc/systemd/system/hosting-control.service'
export const COMMAND = '/usr/local/sbin/hosting-control'
export const SERVICE = 'hosting-control'
/** The dashboard in a release: the build of scripts/build-dashboard.ts. */
export const PROGRAM = 'dist/hosting-control'
/** Runs the dashboard. */
export const USER = 'hosting-control'
/** Builds releases: neither root nor the user that runs them. */
export const BUILDER = 'hosting-control-build'

export const NGINX = {
  site: '/etc/nginx/sites-available/hosting-control',
  // The last in the alphabet: the first server of a port answers all unknown names.
  link: '/etc/nginx/sites-enabled/zz-hosting-control',
}
export const CADDY = {
  site: '/etc/caddy/hosting-control.caddy',
  main: '/etc/caddy/Caddyfile',
}
