/** Where a site and its administration are. The domain is canonical: letters, digits, dots, hyphens. */
export function urlsOf({ domain, tls }: { domain: string; tls: string }) {
  const home = `${tls === 'none' ? 'http' : 'https'}://${domain}/`
  return { home, admin: `${home}wp-admin/` }
}

/** What we make is WordPress, also before the first sync has looked. */
export const isWordpress = ({ framework, found }: { framework: string; found: boolean }) =>
  framework === 'wordpress' || (framework === 'unknown' && !found)
