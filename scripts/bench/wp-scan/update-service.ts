/** An offered version of a plugin file, a theme or the core. */
export interface Offers {
  plugins: Record<string, string>
  themes: Record<string, string>
  core: string
}

type Installed = Record<string, { Version?: string }>

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
      if (pathname.startsWith('/plugins/update-check/')) return plugins(form, offers)
      if (pathname.startsWith('/themes/update-check/')) return themes(form, offers)
      if (pathname.startsWith('/core/version-check/')) return core(offers)
      return new Response(null, { status: 404 })
    },
  })
}

function plugins(form: URLSearchParams, offers: Offers): Response {
  const { plugins: installed } = JSON.parse(form.get('plugins') ?? '{}') as { plugins: Installed }
  const answer = split(installed, offers.plugins, (file, new_version) => {
    const slug = file.split('/')[0]?.replace(/\.php$/, '')
    return { id: `w.org/plugins/${slug}`, slug, plugin: file, new_version, icons: {}, package: '' }
  })
  return Response.json({ plugins: answer.newer, no_update: answer.same, translations: [] })
}

function themes(form: URLSearchParams, offers: Offers): Response {
  const { themes: installed } = JSON.parse(form.get('themes') ?? '{}') as { themes: Installed }
  const answer = split(installed, offers.themes, (theme, new_version) => {
    return { theme, new_version, url: '', package: '', requires: '6.4', requires_php: '7.2' }
  })
  return Response.json({ themes: answer.newer, no_update: answer.same, translations: [] })
}

function core({ core: version }: Offers): Response {
  const packages = { full: `http://downloads.example/${version}.zip`, partial: false }
  const offer = { response: 'upgrade', locale: 'en_US', packages, current: version, version }
  return Response.json({ offers: [offer], translations: [], ttl: 3600 })
}

function split(
  installed: Installed,
  offered: Record<string, string>,
  entry: (key: string, version: string) => object,
) {
  const newer: Record<string, object> = {}
  const same: Record<string, object> = {}
  for (const [key, { Version = '' }] of Object.entries(installed)) {
    const version = offered[key]
    if (version === undefined) same[key] = entry(key, Version)
    else newer[key] = entry(key, version)
  }
  return { newer, same }
}
