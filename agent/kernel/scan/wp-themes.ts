import type { SiteTree } from './site-tree.ts'
import { type ExtensionHeaders, HEADER_BYTES, themeHeaders } from './wp-headers.ts'
import { entriesOf } from './wp-plugins.ts'

/** A theme; `slug` is its name in WordPress: `twentytwentyfive`, `collection/child`. */
export interface Theme {
  slug: string
  name: string
  version: string
}

interface ThemeFolder {
  tree: SiteTree
  folder: string
  gap: () => void
}

interface FoundThemes extends ThemeFolder {
  /** The themes by slug; undefined without a style.css: broken, but possible as a parent. */
  themes: ReadonlyMap<string, ExtensionHeaders | undefined>
}

const MAX_THEMES = 2000

/**
 * Lists the themes that wp_get_themes() shows: found by search_theme_directories(), and without the
 * errors of WP_Theme (no stylesheet, no template file, parent missing or itself a child). `gap` is
 * called for each unreadable location that may contain more.
 */
export function listThemes(tree: SiteTree, folder: string, gap: () => void): Theme[] {
  const place = { tree, folder, gap }
  const themes = findThemes(place)
  const found = { ...place, themes }
  return [...themes].flatMap(([slug, headers]) => {
    if (!headers || !isSound(found, slug, headers)) return []
    return [{ slug, name: headers.name, version: headers.version }]
  })
}

function findThemes(place: ThemeFolder): Map<string, ExtensionHeaders | undefined> {
  const themes = new Map<string, ExtensionHeaders | undefined>()
  for (const name of folders(place, '')) {
    if (themes.size >= MAX_THEMES) {
      place.gap()
      break
    }
    const headers = headersOf(place, name)
    const below = headers ? [] : collection(place, name)
    for (const [slug, nested] of below) themes.set(slug, nested)
    if (below.length === 0) themes.set(name, headers)
  }
  return themes
}

/** Returns the themes one level below a folder that is no theme itself. */
function collection(place: ThemeFolder, name: string): [string, ExtensionHeaders][] {
  return folders(place, `/${name}`)
    .slice(0, MAX_THEMES)
    .flatMap((below) => {
      const headers = headersOf(place, `${name}/${below}`)
      return headers ? [[`${name}/${below}`, headers]] : []
    })
}

function headersOf({ tree, folder, gap }: ThemeFolder, slug: string): ExtensionHeaders | undefined {
  const path = `${folder}/${slug}/style.css`
  const head = tree.head(path, HEADER_BYTES)
  if (head === undefined && tree.stat(path) !== undefined) gap()
  return head === undefined ? undefined : themeHeaders(head)
}

function folders({ tree, folder, gap }: ThemeFolder, below: string): string[] {
  const entries = entriesOf(tree, `${folder}${below}`, gap).filter(
    ({ name }) => !name.startsWith('.') && name !== 'CVS',
  )
  if (entries.some(({ kind }) => kind === 'link')) gap()
  return entries.filter(({ kind }) => kind === 'directory').map(({ name }) => name)
}

function isSound(found: FoundThemes, slug: string, { template }: ExtensionHeaders): boolean {
  if (template === slug) return false
  if (template === '') return hasIndex(found, slug)
  const parent = parentOf(found, slug, template)
  return parent !== undefined && !isChild(found, parent)
}

function hasIndex({ tree, folder }: FoundThemes, slug: string): boolean {
  return ['index.php', 'templates/index.html', 'block-templates/index.html'].some(
    (file) => tree.stat(`${folder}/${slug}/${file}`) !== undefined,
  )
}

/** Returns the parent's slug: among the themes, or beside the child in a folder of themes. */
function parentOf({ tree, folder, themes }: FoundThemes, slug: string, template: string) {
  const has = (name: string) => tree.stat(`${folder}/${name}/index.php`) !== undefined
  const slash = slug.lastIndexOf('/')
  const beside = `${slug.slice(0, slash)}/${template}`
  if (has(template)) return template
  if (slash > 0 && has(beside)) return beside
  return themes.has(template) ? template : undefined
}

/** Returns whether a parent is itself a child, which WordPress forbids. */
function isChild(found: FoundThemes, slug: string): boolean {
  const template = found.themes.get(slug)?.template ?? ''
  if (template === '' || template === slug) return false
  return parentOf(found, slug, template) !== undefined
}
