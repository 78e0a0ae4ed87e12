/** An offered version of a plugin file, a theme or the core. */
export interface Offers {
  plugins: Record<string, string>
  themes: Record<string, string>
  core: string
}

/**
 * Replaces api.wordpress.org as the HTTP proxy of a site (WP_PROXY_HOST): answers the three update
 * checks of WordPress in their own format, so that WordPress itself writes its transients.
 */
export function startUpdateService(offers: Offers) {
  return Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      if (request.method === 'CONNECT') return new Response(null, { status: 403 })
      const { pathname } = new URL(request.url)
      const form = new URLSearchParams(await request.text())
      if (pathname.startsWith('/plugins/update-check/')) return extensions('plugins', form, offers)
      if (pathname.startsWith('/themes/update-check/')) return extensions('themes', form, offers)
      if (pathname.startsWith('/core/version-check/')) return core(offers)
      return new Response(null, { status: 404 })
    },
  })
}

const ENTRIES = {
  plugins(plugin: string, new_version: string) {
    const slug = plugin.split('/')[0]?.replace(/\.php$/, '')
    return { id: `w.org/plugins/${slug}`, slug, plugin, new_version, icons: {}, package: '' }
  },
  themes(theme: string, new_version: string) {
    return { theme, new_version, url: '', package: '', requires: '6.4', requires_php: '7.2' }
  },
}

function extensions(kind: 'plugins' | 'themes', form: URLSearchParams, offers: Offers): Response {
  const installed: Record<string, { Version?: string }> = JSON.parse(form.get(kind) ?? '{}')[kind]
  const newer: Record<string, object> = {}
  const no_update: Record<string, object> = {}
  for (const [key, { Version = '' }] of Object.entries(installed)) {
    const version = offers[kind][key]
    if (version === undefined) no_update[key] = ENTRIES[kind](key, Version)
    else newer[key] = ENTRIES[kind](key, version)
  }
  return Response.json({ [kind]: newer, no_update, translations: [] })
}

function core({ core: version }: Offers): Response {
  const packages = { full: `http://downloads.example/${version}.zip`, partial: false }
  const offer = { response: 'upgrade', locale: 'en_US', packages, current: version, version }
  return Response.json({ offers: [offer], translations: [], ttl: 3600 })
}
