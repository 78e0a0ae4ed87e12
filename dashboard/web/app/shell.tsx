import { useQuery } from '@tanstack/react-query'
import { Link, Outlet, useRouter } from '@tanstack/react-router'
import { Menu, Monitor, Moon, Sun, X } from 'lucide-react'
import { Suspense, useEffect, useState } from 'react'
import { countActiveQuery } from '#dashboard/web/api/operations.ts'
import { DemoMark } from '#dashboard/web/ui/brand/demo.tsx'
import { Mark } from '#dashboard/web/ui/brand/mark.tsx'
import { ButtonLink, IconButton } from '#dashboard/web/ui/button.tsx'
import { cx } from '#dashboard/web/ui/cx.ts'
import { AccountLinks } from './account-links.tsx'
import { Commands } from './commands.tsx'
import { lazyPart } from './lazy-page.ts'
import { PLACES } from './navigation.ts'
import { Progress } from './pending.tsx'
import { chooseTheme, THEMES, useTheme } from './theme-choice.ts'

const Feed = lazyPart(async () => (await import('#dashboard/web/app/live/feed.tsx')).Feed)
const PasswordPrompt = lazyPart(
  async () => (await import('#dashboard/web/ui/password-prompt.tsx')).PasswordPrompt,
)

/** The frame of every page after login. */
export function Shell() {
  const [open, setOpen] = useState(false)
  const close = () => setOpen(false)
  useFocusOnPage()
  return (
    <>
      <a
        href="#content"
        className="sr-only focus:not-sr-only focus:fixed focus:z-50 focus:m-2 focus:rounded-lg focus:bg-raised focus:p-3"
      >
        Skip to content
      </a>
      <Progress />
      <Suspense fallback={null}>
        <Feed />
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
            <RunningCount />
            <ThemeButton />
            <AccountLinks />
          </header>
          <main id="content" tabIndex={-1} className="outline-none">
            <Outlet />
          </main>
        </div>
      </div>
    </>
  )
}

/** The main pages; `onGo` is called when one is chosen. */
function MainMenu({ onGo }: { onGo: () => void }) {
  return (
    <nav aria-label="Main" className="flex flex-col gap-0.5">
      {PLACES.map(({ to, name, icon: Icon }) => (
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
