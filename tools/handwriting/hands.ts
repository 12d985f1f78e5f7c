import { fileURLToPath } from 'node:url';

/** A hand: a font that imitates one. */
export interface Hand {
  name: string;
  file: string;
  /** Name of the font in its file, and its size in points at 72 dpi. */
  font: string;
}

const hand = (packageName: string, file: string, font: string): Hand => ({
  name: packageName,
  file: fileURLToPath(
    import.meta.resolve(`@expo-google-fonts/${packageName}/400Regular/${file}_400Regular.ttf`),
  ),
  font,
});

const all: readonly [Hand, ...Hand[]] = [
  hand('caveat', 'Caveat', 'Caveat 34'),
  hand('cedarville-cursive', 'CedarvilleCursive', 'Cedarville Cursive 28'),
  hand('gloria-hallelujah', 'GloriaHallelujah', 'Gloria Hallelujah 24'),
  hand('homemade-apple', 'HomemadeApple', 'Homemade Apple 22'),
  hand('indie-flower', 'IndieFlower', 'Indie Flower 30'),
  hand('kalam', 'Kalam', 'Kalam 28'),
  hand('nothing-you-could-do', 'NothingYouCouldDo', 'Nothing You Could Do 26'),
  hand('patrick-hand', 'PatrickHand', 'Patrick Hand 30'),
  hand('reenie-beanie', 'ReenieBeanie', 'Reenie Beanie 38'),
  hand('shadows-into-light', 'ShadowsIntoLight', 'Shadows Into Light 30'),
];

/** The hand of the answer at `index`: each in its turn. */
export const handOf = (index: number): Hand => all[index % all.length] ?? all[0];
