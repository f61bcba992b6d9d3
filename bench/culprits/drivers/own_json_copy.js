// SPDX-License-Identifier: Apache-2.0
// A game copies its whole state through JSON for each move.
const fixed = process.argv[2] === 'fixed';

function withMove(state, place, player) {
  if (fixed) {
    const board = state.board.slice();
    board[place] = player;
    return {...state, board, moves: state.moves + 1};
  }
  const copy = JSON.parse(JSON.stringify(state));
  copy.board[place] = player;
  copy.moves++;
  return copy;
}

function score(state) {
  let sum = 0;
  for (let i = 0; i < 400; i++) sum += state.board[i] * ((i % 20) - 10) * Math.sin(i);
  return sum;
}

let state = {board: Array(400).fill(0), moves: 0, names: ['a', 'b'], history: Array.from({length: 200}, (_, i) => ({i, at: i * 2}))};
let best = 0;
for (let move = 0; move < 26000; move++) {
  state = withMove(state, (move * 37) % 400, (move % 2) + 1);
  best = Math.max(best, score(state));
}
console.log(state.moves, best.toFixed(3));
