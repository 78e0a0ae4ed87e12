import { CirclePause, CirclePlay, type LucideIcon, RefreshCw, Zap } from 'lucide-react'
import type { SiteAction } from '#shared/kernel/operation-type.ts'
import { actionOf, OPERATION_TYPES, SITE_ACTIONS } from '#shared/operation-types.ts'

const ICONS: Record<SiteAction['icon'], LucideIcon> = {
  flash: Zap,
  pause: CirclePause,
  play: CirclePlay,
  refresh: RefreshCw,
}

/** What can be done to a site, or to many, by its name alone. */
export const ACTIONS = SITE_ACTIONS.map((type) => {
  const { icon, about, state, isRare } = actionOf(type)
  return { type, name: OPERATION_TYPES[type].name, icon: ICONS[icon], about, state, isRare }
})
