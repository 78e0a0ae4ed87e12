import { Link } from '@tanstack/react-router'
import { PLACES } from './navigation.ts'

/** The main pages; `onGo` is called when one is chosen. */
export function MainMenu({ onGo }: { onGo?: () => void }) {
  return (
    <nav aria-label="Main" className="flex flex-col gap-0.5">
      {PLACES.map(({ to, name, icon: Icon }) => (
        <Link
          key={to}
          to={to}
          {...(onGo && { onClick: onGo })}
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
