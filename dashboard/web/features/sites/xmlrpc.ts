import type { Xmlrpc } from '#shared/sites/site-settings.ts'

export const XMLRPC_NAMES: Record<Xmlrpc, string> = {
  on: 'On',
  jetpack: 'Only for Jetpack',
  off: 'Off',
}
