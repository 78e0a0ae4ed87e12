import { Outlet } from '@tanstack/react-router'
import { Menu, X } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { DemoMark } from '#dashboard/web/features/brand/demo.tsx'
import { Mark } from '#dashboard/web/features/brand/mark.tsx'
import { IconButton } from '#dashboard/web/ui/button.tsx'
import { cx } from '#dashboard/web/ui/cx.ts'
import { AccountLinks } from './account-links.tsx'
import { Commands } from './commands.tsx'
import { MainMenu } from './menu.tsx'
import { Progress } from './pending.tsx'
import { UnderWayChip } from './running.tsx'
import { ThemeButton } from './theme-button.tsx'
import { useFocusOnPage } from './use-focus-on-page.ts'

const Feed = lazy(async () => ({ default: (await import('./live/feed.tsx')).Feed }))

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
      </Suspense>
      <div className="lg:grid lg:grid-cols-[15rem_1fr]">
        <aside
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
            <UnderWayChip />
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
