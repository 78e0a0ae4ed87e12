import { Monitor, Moon, Sun } from 'lucide-react'
import { IconButton } from '#dashboard/web/ui/button.tsx'
import { chooseTheme, THEMES, useTheme } from './theme-choice.ts'

const ICONS = { system: Monitor, light: Sun, dark: Moon }

/** Changes to the next of system, light and dark. */
export function ThemeButton() {
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
