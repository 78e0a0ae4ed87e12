/** Where a site and its administration are. The domain is canonical: letters, digits, dots, hyphens. */
export function urlsOf({ domain, tls }: { domain: string; tls: string }) {
  const home = `${tls === 'none' ? 'http' : 'https'}://${domain}/`
  return { home, admin: `${home}wp-admin/` }
}
