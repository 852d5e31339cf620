// Package stats turns the games of a match into numbers: Elo and its error from pairs of games, normalized Elo, the
// sequential test that ends a match, ratings of many players, and a report with plots.
//
// Games 2k and 2k+1 are a pair: the same opening with colours reversed. Errors come from pairs, not from games, because
// the bias of an opening cancels within a pair. All numbers are from the side of A, the first player, and are finite
// whatever was played: MaxElo and MaxRatio stand for what has no bound.
//
// The package plays nothing and reads no file. See package match for both.
package stats
