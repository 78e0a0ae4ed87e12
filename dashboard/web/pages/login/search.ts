/** Where to go after the login: only an address of this dashboard. */
export const readLoginSearch = ({ to }: Record<string, unknown>): { to?: string } =>
  typeof to === 'string' && /^\/(?!\/)/.test(to) ? { to } : {}
