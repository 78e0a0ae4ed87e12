/**
 * The addresses of a site and its administration. The domain is canonical: letters, digits, dots,
 * hyphens.
 */
export function urlsOf({ domain, tls }: { domain: string; tls: string }) {
  const home = `${tls === 'none' ? 'http' : 'https'}://${domain}/`
  return { home, admin: `${home}wp-admin/` }
}

/** Created sites are WordPress, also before the first sync. */
export const isWordpress = ({ framework, found }: { framework: string; found: boolean }) =>
  framework === 'wordpress' || (framework === 'unknown' && !found)
