import type { Csp, Hsts, Xmlrpc } from '#shared/sites/site-settings.ts'

export const CSP_NAMES: Record<Csp, string> = {
  basic: 'Basic',
  report: 'Basic, with a strict one in the console',
  off: 'Off',
}

export const HSTS_NAMES: Record<Hsts, string> = {
  on: 'On',
  subdomains: 'On, with subdomains',
  off: 'Off',
}

export const XMLRPC_NAMES: Record<Xmlrpc, string> = {
  on: 'On',
  jetpack: 'Only for Jetpack',
  off: 'Off',
}
