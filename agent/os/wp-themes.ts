import type { SiteTree } from '../host/ports.ts'
import { HEADER_BYTES, type Headers, themeHeaders } from './wp-headers.ts'

/** `slug` as WordPress knows the theme: `twentytwentyfive`, `collection/child`. */
export interface Theme {
  slug: string
  name: string
  version: string
}

interface Found {
  tree: SiteTree
  folder: string
  /** Without a style.css: broken, but it can still be a parent. */
  themes: ReadonlyMap<string, Headers | undefined>
}

const MAX_THEMES = 2000

/**
 * The themes that wp_get_themes() shows: found by search_theme_directories(), and without the errors
 * that WP_Theme finds (no stylesheet, no template file, parent missing or itself a child).
 */
export function listThemes(tree: SiteTree, folder: string): Theme[] {
  const themes = findThemes(tree, folder)
  const found = { tree, folder, themes }
  return [...themes].flatMap(([slug, headers]) => {
    if (!headers || !isSound(found, slug, headers)) return []
    return [{ slug, name: headers.name, version: headers.version }]
  })
}

function findThemes(tree: SiteTree, folder: string): Map<string, Headers | undefined> {
  const themes = new Map<string, Headers | undefined>()
  for (const name of folders(tree, folder)) {
    if (themes.size >= MAX_THEMES) break
    const headers = headersOf(tree, folder, name)
    const below = headers ? [] : collection(tree, folder, name)
    for (const [slug, nested] of below) themes.set(slug, nested)
    if (below.length === 0) themes.set(name, headers)
  }
  return themes
}

/** A folder of themes: one level more, where the folder itself is none. */
function collection(tree: SiteTree, folder: string, name: string): [string, Headers][] {
  return folders(tree, `${folder}/${name}`)
    .slice(0, MAX_THEMES)
    .flatMap((below) => {
      const headers = headersOf(tree, folder, `${name}/${below}`)
      return headers ? [[`${name}/${below}`, headers]] : []
    })
}

function headersOf(tree: SiteTree, folder: string, slug: string): Headers | undefined {
  const head = tree.head(`${folder}/${slug}/style.css`, HEADER_BYTES)
  return head === undefined ? undefined : themeHeaders(head)
}

function folders(tree: SiteTree, folder: string): string[] {
  return tree
    .list(folder)
    .filter(({ name, kind }) => kind === 'directory' && !name.startsWith('.') && name !== 'CVS')
    .map(({ name }) => name)
}

function isSound(found: Found, slug: string, { template }: Headers): boolean {
  if (template === slug) return false
  if (template === '') return hasIndex(found, slug)
  const parent = parentOf(found, slug, template)
  return parent !== undefined && !isChild(found, parent)
}

function hasIndex({ tree, folder }: Found, slug: string): boolean {
  return ['index.php', 'templates/index.html', 'block-templates/index.html'].some(
    (file) => tree.stat(`${folder}/${slug}/${file}`) !== undefined,
  )
}

/** The parent's slug: among the themes, or beside the child in a folder of themes. */
function parentOf({ tree, folder, themes }: Found, slug: string, template: string) {
  const has = (name: string) => tree.stat(`${folder}/${name}/index.php`) !== undefined
  const slash = slug.lastIndexOf('/')
  const beside = `${slug.slice(0, slash)}/${template}`
  if (has(template)) return template
  if (slash > 0 && has(beside)) return beside
  return themes.has(template) ? template : undefined
}

/** Only two generations are allowed; a parent whose own parent is missing has another error first. */
function isChild(found: Found, slug: string): boolean {
  const template = found.themes.get(slug)?.template ?? ''
  if (template === '' || template === slug) return false
  return parentOf(found, slug, template) !== undefined
}
