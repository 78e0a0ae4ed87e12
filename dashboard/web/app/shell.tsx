import { useQuery } from '@tanstack/react-query'
import { Link, Outlet, useMatches, useNavigate, useRouter } from '@tanstack/react-router'
import { CircleUser, Globe, Lock, LogOut, Menu, Monitor, Moon, Search, Sun, X } from 'lucide-react'
import { Suspense, useEffect, useMemo, useRef, useState } from 'react'
import { type Fleet, fleetQuery } from '#dashboard/web/api/fleet.ts'
import { countActiveQuery } from '#dashboard/web/api/operations.ts'
import { meQuery, rightsQuery } from '#dashboard/web/api/session.ts'
import { DemoMark } from '#dashboard/web/ui/brand/demo.tsx'
import { Mark } from '#dashboard/web/ui/brand/mark.tsx'
import { ButtonLink, IconButton } from '#dashboard/web/ui/button.tsx'
import { cx } from '#dashboard/web/ui/cx.ts'
import { Kbd } from '#dashboard/web/ui/kbd.tsx'
import { Page } from '#dashboard/web/ui/page.tsx'
import { type HeldRights, RightsProvider, useMay } from '#dashboard/web/ui/rights.tsx'
import { Empty } from '#dashboard/web/ui/states.tsx'
import { isClient } from '#shared/kernel/rights.ts'
import { lazyDialog, lazyPart } from './lazy-page.ts'
import { placesFor } from './navigation.ts'
import { Progress } from './pending.tsx'
import { areOn, PALETTE_KEYS } from './shortcuts.ts'
import { chooseTheme, THEMES, useTheme } from './theme-choice.ts'

const Feed = lazyPart(async () => (await import('#dashboard/web/app/live/feed.tsx')).Feed)
const PasswordPrompt = lazyPart(
  async () => (await import('#dashboard/web/ui/password-prompt.tsx')).PasswordPrompt,
)

/** The frame of every page after login. */
export function Shell() {
  const held = useHeldRights()
  return (
    <RightsProvider value={held}>{isClient(held) ? <ClientFrame /> : <Frame />}</RightsProvider>
  )
}

/** Returns a plain object: an answer with the same tags is the same value, and draws nothing again. */
const tagsOf = ({ servers }: Fleet) => Object.fromEntries(servers.map(({ id, tags }) => [id, tags]))
const NO_TAGS: HeldRights['tags'] = {}
const NOTHING: Pick<HeldRights, 'rights' | 'parts'> = { rights: [], parts: [] }

/** Returns what the user may do. The servers are requested only for a grant on a tag. */
function useHeldRights(): HeldRights {
  const { data = NOTHING } = useQuery(rightsQuery)
  const { rights, parts } = data
  const { data: tags = NO_TAGS } = useQuery({
    ...fleetQuery,
    select: tagsOf,
    enabled: parts.some((part) => part.tag !== null && part.rights.includes('read')),
  })
  return useMemo(() => ({ rights, parts, tags }), [rights, parts, tags])
}

/** The frame of the pages of a client of the agency, who sees no servers and no fleet. */
function ClientFrame() {
  useFocusOnPage()
  return (
    <>
      <SkipLink />
      <Progress />
      <Suspense fallback={null}>
        <PasswordPrompt />
      </Suspense>
      <DemoMark />
      <header className="sticky top-0 z-20 flex h-14 items-center gap-2 border-b border-line bg-surface px-4 lg:px-8">
        <nav aria-label="Main" className="min-w-0 flex-1">
          <Link
            to="/your-sites"
            activeOptions={{ includeSearch: false }}
            className="flex w-fit items-center gap-2 rounded-lg px-3 py-2 font-medium text-muted hover:bg-sunken hover:text-text aria-[current=page]:bg-accent-soft aria-[current=page]:text-accent"
          >
            <Globe className="size-4 shrink-0" />
            Your sites
          </Link>
        </nav>
        <ThemeButton />
        <AccountLinks />
      </header>
      <main id="content" tabIndex={-1} className="outline-none">
        <Outlet />
      </main>
    </>
  )
}

const SkipLink = () => (
  <a
    href="#content"
    className="sr-only focus:not-sr-only focus:fixed focus:z-50 focus:m-2 focus:rounded-lg focus:bg-raised focus:p-3"
  >
    Skip to content
  </a>
)

function Frame() {
  const [open, setOpen] = useState(false)
  const close = () => setOpen(false)
  const seesSomething = useMay()('read', 'anywhere')
  useFocusOnPage()
  return (
    <>
      <SkipLink />
      <Progress />
      <Suspense fallback={null}>
        {seesSomething && <Feed />}
        <PasswordPrompt />
      </Suspense>
      <div className="lg:grid lg:grid-cols-[15rem_1fr]">
        <aside
          aria-label="Menu"
          className={cx(
            'z-30 border-line bg-surface p-3 lg:sticky lg:top-0 lg:block lg:h-dvh lg:border-r',
            open ? 'fixed inset-0 overflow-y-auto' : 'hidden',
          )}
        >
          <div className="mb-4 flex items-center justify-between">
            <Mark />
            <IconButton className="lg:hidden" name="Close menu" icon={<X />} onClick={close} />
          </div>
          <MainMenu onGo={close} />
        </aside>
        <div className="min-w-0">
          <DemoMark />
          <header className="sticky top-0 z-20 flex h-14 items-center gap-2 border-b border-line bg-surface px-4 lg:px-8">
            <IconButton
              className="lg:hidden"
              name="Open menu"
              icon={<Menu />}
              onClick={() => setOpen(true)}
            />
            <Commands />
            <div className="flex-1" />
            {seesSomething && <RunningCount />}
            <ThemeButton />
            <AccountLinks />
          </header>
          <main id="content" tabIndex={-1} className="outline-none">
            {seesSomething ? <Outlet /> : <OwnPages />}
          </main>
        </div>
      </div>
    </>
  )
}

/** The pages that need no grant. */
const OWN_PAGES = /^\/(account|docs)(\/|$)/

/** Shows the pages that need no grant, and says on all others that there is no access yet. */
function OwnPages() {
  // The page that is drawn: the address is already the next one while its page loads.
  const isOwn = useMatches({
    select: (matches) => OWN_PAGES.test(matches.at(-1)?.pathname ?? ''),
  })
  if (isOwn) return <Outlet />
  return (
    <Page title="No access yet">
      <Empty
        icon={<Lock />}
        title="Nobody has given you access yet"
        action={<ButtonLink to="/account">Open account</ButtonLink>}
      >
        Ask an owner of this dashboard for a role, or for access to a server or a site. Then load
        this page again.
      </Empty>
    </Page>
  )
}

/** The main pages; `onGo` is called when one is chosen. */
function MainMenu({ onGo }: { onGo: () => void }) {
  const may = useMay()
  return (
    <nav aria-label="Main" className="flex flex-col gap-0.5">
      {placesFor(may).map(({ to, name, icon: Icon }) => (
        <Link
          key={to}
          to={to}
          onClick={onGo}
          activeOptions={{ exact: to === '/', includeSearch: false }}
          className="flex items-center gap-3 rounded-lg px-3 py-2 font-medium text-muted hover:bg-sunken hover:text-text aria-[current=page]:bg-accent-soft aria-[current=page]:text-accent"
        >
          <Icon className="size-4 shrink-0" />
          {name}
        </Link>
      ))}
    </nav>
  )
}

/** The number of running operations, with a link to them. */
function RunningCount() {
  const { data = 0 } = useQuery(countActiveQuery)
  if (data === 0) return null
  const count = data > 99 ? '99+' : String(data)
  return (
    <ButtonLink
      to="/operations"
      kind="quiet"
      icon={<span aria-hidden className="size-2 animate-pulse rounded-full bg-accent" />}
      className="text-accent tabular-nums"
    >
      {count}
      <span className="sr-only">{data === 1 ? 'operation' : 'operations'}</span>
      <span className="sr-only lg:not-sr-only">running</span>
    </ButtonLink>
  )
}

const ICONS = { system: Monitor, light: Sun, dark: Moon }

/** Changes to the next of system, light and dark. */
function ThemeButton() {
  const theme = useTheme()
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system'
  const Icon = ICONS[theme]
  return (
    <IconButton
      name={`Theme: ${theme}. Change to ${next}`}
      icon={<Icon />}
      onClick={() => chooseTheme(next)}
    />
  )
}

const OPEN_DIALOG = '[role=dialog][data-open], [role=alertdialog][data-open]'

/** Moves the focus to the heading of the next page, for screen readers. */
function useFocusOnPage(): void {
  const router = useRouter()
  useEffect(
    () =>
      router.subscribe('onRendered', ({ pathChanged, fromLocation }) => {
        if (!pathChanged || !fromLocation) return
        const content = document.getElementById('content')
        // The page has set the focus itself, or somebody has opened a dialog while it loaded.
        const focused = document.activeElement
        if (!content || content.contains(focused) || focused?.closest(OPEN_DIALOG)) return
        const target = content.querySelector<HTMLElement>('h1') ?? content
        target.focus({ preventScroll: true })
      }),
    [router],
  )
}

/** Loaded on demand: no page needs the dialog. */
const SignOut = lazyDialog(async () => (await import('./sign-out.tsx')).SignOut)

/** The signed-in user, their account, and sign-out. */
function AccountLinks() {
  const { data: user } = useQuery(meQuery)
  const [isOpen, setOpen] = useState<boolean>()
  return (
    <>
      <ButtonLink
        to="/account"
        kind="quiet"
        aria-label={`Account of ${user?.email ?? ''}`}
        icon={<CircleUser />}
      >
        <span className="hidden max-w-48 truncate md:inline">{user?.email}</span>
      </ButtonLink>
      <IconButton name="Sign out" icon={<LogOut />} onClick={() => setOpen(true)} />
      {isOpen !== undefined && (
        <Suspense>
          <SignOut open={isOpen} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}

const Palette = lazyDialog(
  async () => (await import('#dashboard/web/app/palette/palette.tsx')).Palette,
)
const Help = lazyDialog(async () => (await import('./shortcut-help.tsx')).ShortcutHelp)

type Open = 'palette' | 'help'

/** The palette and the list of keys, loaded when they are first opened. */
function Commands() {
  const [open, setOpen] = useState<Open>()
  const [loaded, setLoaded] = useState<ReadonlySet<Open>>(new Set())
  const show = (what: Open) => {
    setLoaded((old) => new Set(old).add(what))
    setOpen(what)
  }
  const close = () => setOpen(undefined)
  useShortcuts({ onPalette: () => show('palette'), onHelp: () => show('help') })
  return (
    <>
      <SearchButton onOpen={() => show('palette')} />
      <Suspense fallback={null}>
        {loaded.has('palette') && (
          <Palette open={open === 'palette'} onClose={close} onHelp={() => show('help')} />
        )}
        {loaded.has('help') && <Help open={open === 'help'} onClose={close} />}
      </Suspense>
    </>
  )
}

/** The button that opens the palette, with the keys that do the same. */
function SearchButton({ onOpen }: { onOpen: () => void }) {
  return (
    <button
      type="button"
      aria-keyshortcuts="Control+K Meta+K"
      onClick={onOpen}
      className="flex min-h-9 items-center gap-2 rounded-lg border border-transparent px-2 text-muted hover:bg-sunken sm:w-64 sm:border-line sm:bg-page sm:px-3"
    >
      <Search className="size-4 shrink-0" />
      <span className="sr-only text-left sm:not-sr-only sm:flex-1">Search</span>
      <span className="hidden gap-0.5 sm:flex" aria-hidden>
        {PALETTE_KEYS.map((key) => (
          <Kbd key={key}>{key}</Kbd>
        ))}
      </span>
    </button>
  )
}

/** How long after `g` the other key may be pressed. */
const PAIR_MS = 1_500

interface ShortcutCalls {
  onPalette: () => void
  onHelp: () => void
}

/** The keys that work on every page, but not while somebody types or a dialog is open. */
function useShortcuts({ onPalette, onHelp }: ShortcutCalls): void {
  const navigate = useNavigate()
  const may = useMay()
  const calls = useRef<Record<string, () => void>>({})
  calls.current = {
    [PALETTE]: onPalette,
    ...(may('operate', 'servers') && { c: () => void navigate({ to: '/sites/new' }) }),
    '/': () => focusSearch() || onPalette(),
    '?': onHelp,
    ...Object.fromEntries(
      placesFor(may).map(({ key, to }) => [`g ${key}`, () => void navigate({ to })]),
    ),
  }
  useEffect(() => {
    const nameOf = namer()
    const onKeyDown = (event: KeyboardEvent) => {
      const call = calls.current[nameOf(event) ?? '']
      if (!call) return
      event.preventDefault()
      call()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [])
}

const PALETTE = 'palette'

/** The pressed keys, as the shortcuts are named: `c`, or `g s` for two keys in a row. */
function namer(): (event: KeyboardEvent) => string | undefined {
  let first = { key: '', at: 0 }
  return (event) => {
    if (isPalette(event)) return PALETTE
    if (!isForUs(event)) return undefined
    const { key, timeStamp: at } = event
    const isSecond = first.key === 'g' && at - first.at < PAIR_MS
    first = { key: isSecond ? '' : key, at }
    return isSecond ? `g ${key}` : key
  }
}

const isPalette = ({ ctrlKey, metaKey, altKey, shiftKey, key }: KeyboardEvent): boolean =>
  (ctrlKey || metaKey) && !altKey && !shiftKey && key.toLowerCase() === 'k'

function isForUs({ ctrlKey, metaKey, altKey, repeat, defaultPrevented, target }: KeyboardEvent) {
  if (ctrlKey || metaKey || altKey || repeat || defaultPrevented || !areOn()) return false
  if (document.querySelector('[role=dialog]:not([aria-modal=false]), [role=alertdialog]'))
    return false
  const types = 'input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]'
  return !(target instanceof Element && target.closest(types))
}

/** Moves the focus to the search field; returns false if the page has none. */
function focusSearch(): boolean {
  const input = document.querySelector<HTMLInputElement>('main input[type=search]')
  input?.focus()
  input?.select()
  return input !== null
}
